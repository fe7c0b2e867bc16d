# One to three spheres are let go above a floor and bounce to rest.
world = World(duration=2.7, fps=30.0, ambient=0.187, background=[0.445, 0.467, 0.512])
camera = Camera(
    pos=[-0.844, -2.609, 1.688], target=[0.44, 0.157, 0.842], fov_y_deg=40.9, width=256, height=256,
    distortion=[0.0256, -0.024, 0.00106, -0.00104, 0.0],
)
body_1 = Object(
    "body_1", geometry="sphere", size=[0.168, 0.168, 0.168], mass=19.4, friction=0.204,
    restitution=0.596, pos=[0.0, 0.0, 1.69], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, -9.81],
    material="hard steel", base_color=[0.63, 0.74, 0.32], metallic=0.6,
)
body_2 = Object(
    "body_2", geometry="sphere", size=[0.169, 0.169, 0.169], mass=2.65, friction=0.34,
    restitution=0.613, pos=[0.45, 0.0, 1.6], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, -9.81],
    material="plastic", base_color=[0.19, 0.63, 0.44],
)
body_3 = Object(
    "body_3", geometry="sphere", size=[0.166, 0.166, 0.166], mass=18.7, friction=0.583,
    restitution=0.516, pos=[0.9, 0.0, 0.987], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, -9.81],
    material="hard steel", base_color=[0.28, 0.6, 0.71], metallic=0.6,
)
still_1 = Object(
    "still_1", geometry="sphere", size=[0.0912, 0.0912, 0.0912], pos=[-0.35, 0.35, 0.0456],
    vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, 0.0], fixed=True,
    material=Material("pine", base_color=[0.51, 0.38, 0.68], friction=None, restitution=None),
)
floor = Plane(
    "floor", normal=[0.0, 0.0, 1.0], offset=0.0, friction=1.0, restitution=1.0,
    base_color=[0.52, 0.44, 0.35], roughness=0.689, metallic=0.0,
)
sun = DirectionalLight("sun", direction=[-0.262, 0.176, -0.925], intensity=3.46)
