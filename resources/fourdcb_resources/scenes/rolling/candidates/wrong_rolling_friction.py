# One or two balls roll down a ramp and out over the floor.
world = World(duration=1.8, fps=30.0, ambient=0.222, background=[0.458, 0.481, 0.527])
camera = Camera(
    pos=[0.351, -2.827, 1.87], target=[0.135, -0.008, 0.117], fov_y_deg=39.8, width=256, height=256,
    distortion=[-0.0011, 0.0105, -0.00101, 0.00152, 0.0],
)
ball_1 = Object(
    "ball_1", geometry="sphere", size=[0.17, 0.17, 0.17], mass=2.7, friction=0.476, restitution=0.2,
    rolling_friction=0.009, pos=[-0.68468, -0.2, 0.25309], vel=[0.0, 0.0, 0.0],
    acc=[0.0, 0.0, -9.81], material="plastic", base_color=[0.16, 0.42, 0.67],
)
ball_2 = Object(
    "ball_2", geometry="sphere", size=[0.178, 0.178, 0.178], mass=7.38, friction=0.444,
    restitution=0.2, rolling_friction=0.00434, pos=[-0.77705, 0.2, 0.27956], vel=[0.0, 0.0, 0.0],
    acc=[0.0, 0.0, -9.81], material="glass", base_color=[0.5, 0.35, 0.75],
)
ramp = Object(
    "ramp", geometry="box", size=[0.939, 0.8, 0.06], friction=1.0, restitution=1.0,
    pos=[-0.46339, 0.0, 0.08124], rot=[0.9929655112763971, 0.0, 0.11840394172325187, 0.0],
    vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, 0.0], fixed=True, base_color=[0.62, 0.53, 0.43],
    roughness=0.671, metallic=0.0,
)
still_1 = Object(
    "still_1", geometry="box", size=[0.112, 0.112, 0.112], pos=[0.3, 0.6, 0.056],
    vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, 0.0], fixed=True,
    material=Material("marble", base_color=[0.9, 0.33, 0.65], friction=None, restitution=None),
)
floor = Plane(
    "floor", normal=[0.0, 0.0, 1.0], offset=0.0, friction=1.0, restitution=1.0,
    base_color=[0.36, 0.29, 0.24], roughness=0.717, metallic=0.0,
)
sun = DirectionalLight("sun", direction=[0.141, 0.334, -0.932], intensity=3.59)
