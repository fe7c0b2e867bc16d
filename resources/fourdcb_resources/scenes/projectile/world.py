# A ball is thrown in an arc, lands and bounces on.
world = World(duration=2.9, fps=30.0, ambient=0.164, background=[0.365, 0.383, 0.42])
camera = Camera(
    pos=[-0.856, -1.159, 0.736], target=[-0.465, 0.068, 0.429], fov_y_deg=44.0, width=256,
    height=256, distortion=[0.1168, -0.0043, 0.00058, 0.00072, 0.0],
)
ball = Object(
    "ball", geometry="sphere", size=[0.183, 0.183, 0.183], mass=7.38, friction=0.282,
    restitution=0.725, rolling_friction=0.00674, pos=[-0.7, 0.0, 0.383], vel=[0.607, 0.0, 2.67],
    acc=[0.0, 0.0, -9.81], material="ceramic", base_color=[0.78, 0.37, 0.5],
)
floor = Plane(
    "floor", normal=[0.0, 0.0, 1.0], offset=0.0, friction=1.0, restitution=1.0,
    base_color=[0.71, 0.71, 0.7], roughness=0.743, metallic=0.0,
)
sun = DirectionalLight(
    "sun", direction=[-0.139, 0.403, -0.904], intensity=2.85,
    direction_curve=[[-0.139, 0.403, -0.904], [-0.266, 0.334, -0.904], [-0.362, 0.226, -0.904]],
)
