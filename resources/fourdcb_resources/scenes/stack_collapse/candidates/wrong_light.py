# A ball strikes a stack of two or three boxes; the topmost one flies off.
world = World(duration=0.9, fps=30.0, ambient=0.142, background=[0.358, 0.376, 0.412])
camera = Camera(
    pos=[0.355, -2.17, 1.048], target=[-0.199, -0.027, 0.149], fov_y_deg=38.3, width=256,
    height=256, distortion=[0.0558, -0.0251, -0.00029, 0.00191, 0.0],
)
box_1 = Object(
    "box_1", geometry="box", size=[0.278, 0.278, 0.133], mass=12.1, friction=0.461,
    restitution=0.05, pos=[0.0, 0.0, 0.0665], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, -9.81],
    material="acrylic", base_color=[0.41, 0.55, 0.72],
)
box_2 = Object(
    "box_2", geometry="box", size=[0.278, 0.278, 0.123], mass=74.6, friction=0.461,
    restitution=0.05, pos=[0.0, 0.0, 0.1945], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, -9.81],
    material="steel", base_color=[0.58, 0.27, 0.81], metallic=0.6,
)
ball = Object(
    "ball", geometry="sphere", size=[0.245, 0.245, 0.245], mass=88.0, friction=0.3, restitution=0.5,
    rolling_friction=0.004, pos=[-0.776, 0.0, 0.1945], vel=[1.96, 0.0, 1.29], acc=[0.0, 0.0, -9.81],
    material="acrylic", base_color=[0.75, 0.34, 0.52],
)
floor = Plane(
    "floor", normal=[0.0, 0.0, 1.0], offset=0.0, friction=1.0, restitution=0.6,
    base_color=[0.5, 0.42, 0.33], roughness=0.652, metallic=0.0,
)
sun = DirectionalLight(
    "sun", direction=[0.900, 0.152, -0.921], intensity=4.17, intensity_curve=[1.0, 0.874, 0.832],
)
