world = World(duration=2.0, fps=30)
ball = Object(
    "ball", geometry="sphere", size=[0.1, 0.1, 0.1], mass=0.2, friction=0.4, restitution=0.8,
    pos=[0.0, 0.0, 1.0], vel=[0.5, 0.0, 0.0], acc=[0.0, 0.0, -9.8], material="rubber",
)
floor = Plane("floor", normal=[0.0, 0.0, 1.0], offset=0.0, friction=1.0, restitution=1.0)
sun = DirectionalLight("sun", direction=[-0.5, -0.3, -0.8], intensity=3.0)
camera = Camera(pos=[1.2, -1.6, 1.1], target=[0.0, 0.0, 0.3], fov_y_deg=40, width=256, height=256)
