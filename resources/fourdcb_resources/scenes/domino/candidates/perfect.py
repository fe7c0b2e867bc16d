# A row of three to six dominoes; the first one is pushed.
world = World(duration=1.5, fps=30.0, ambient=0.146, background=[0.359, 0.377, 0.413])
camera = Camera(
    pos=[1.401, -2.218, 0.505], target=[0.602, 0.025, 0.127], fov_y_deg=34.7, width=256, height=256,
    distortion=[0.0228, -0.0222, 0.00026, 0.00032, 0.0],
)
piece_1 = Object(
    "piece_1", geometry="box", size=[0.0786, 0.209, 0.348], mass=15.4, friction=0.58,
    restitution=0.1, pos=[0.0, 0.0, 0.174], vel=[0.31, 0.0, 0.07], ang_vel=[0.0, 1.78, 0.0],
    acc=[0.0, 0.0, -9.81], material="aluminium", base_color=[0.65, 0.4, 0.74], metallic=0.6,
)
piece_2 = Object(
    "piece_2", geometry="box", size=[0.0786, 0.209, 0.348], mass=15.4, friction=0.58,
    restitution=0.1, pos=[0.2716, 0.0, 0.174], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, -9.81],
    material="aluminium", base_color=[0.76, 0.31, 0.42], metallic=0.6,
)
piece_3 = Object(
    "piece_3", geometry="box", size=[0.0786, 0.209, 0.348], mass=15.4, friction=0.58,
    restitution=0.1, pos=[0.5432, 0.0, 0.174], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, -9.81],
    material="aluminium", base_color=[0.73, 0.64, 0.36], metallic=0.6,
)
piece_4 = Object(
    "piece_4", geometry="box", size=[0.0786, 0.209, 0.348], mass=15.4, friction=0.58,
    restitution=0.1, pos=[0.8148, 0.0, 0.174], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, -9.81],
    material="aluminium", base_color=[0.51, 0.8, 0.42], metallic=0.6,
)
floor = Plane(
    "floor", normal=[0.0, 0.0, 1.0], offset=0.0, friction=1.0, restitution=1.0,
    base_color=[0.62, 0.62, 0.61], roughness=0.533, metallic=0.0,
)
sun = DirectionalLight("sun", direction=[-0.068, 0.502, -0.862], intensity=2.92)
