# One or two balls fall into a tank of water, dive and come up.
world = World(duration=1.2, fps=30.0, ambient=0.154, background=[0.464, 0.487, 0.534])
camera = Camera(
    pos=[0.258, -0.965, 0.782], target=[-0.027, -0.022, 0.245], fov_y_deg=41.9, width=256,
    height=256, distortion=[0.0578, 0.0232, 0.00086, 0.00147, 0.0],
)
ball_1 = Object(
    "ball_1", geometry="sphere", size=[0.204, 0.204, 0.204], mass=1.37, friction=0.3,
    restitution=0.3, pos=[0.0, 0.0, 0.461], vel=[-0.177, 0.0, 0.0], acc=[0.0, 0.0, -9.81],
    material="oak", base_color=[0.26, 0.55, 0.55],
)
bottom = Object(
    "bottom", geometry="box", size=[0.726, 0.527, 0.05], friction=1.0, restitution=1.0,
    pos=[0.0, 0.0, 0.025], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, 0.0], fixed=True,
    base_color=[0.52, 0.52, 0.5], roughness=0.777, metallic=0.0,
)
left = Object(
    "left", geometry="box", size=[0.05, 0.527, 0.337], friction=1.0, restitution=1.0,
    pos=[-0.338, 0.0, 0.2185], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, 0.0], fixed=True,
    base_color=[0.48, 0.47, 0.46], roughness=0.781, metallic=0.0,
)
right = Object(
    "right", geometry="box", size=[0.05, 0.527, 0.337], friction=1.0, restitution=1.0,
    pos=[0.338, 0.0, 0.2185], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, 0.0], fixed=True,
    base_color=[0.46, 0.39, 0.35], roughness=0.644, metallic=0.0,
)
back = Object(
    "back", geometry="box", size=[0.626, 0.05, 0.337], friction=1.0, restitution=1.0,
    pos=[0.0, 0.2385, 0.2185], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, 0.0], fixed=True,
    base_color=[0.38, 0.31, 0.27], roughness=0.812, metallic=0.0,
)
front = Object(
    "front", geometry="box", size=[0.626, 0.05, 0.337], friction=1.0, restitution=1.0,
    pos=[0.0, -0.2385, 0.2185], vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, 0.0], fixed=True,
    base_color=[0.85, 0.9, 0.9], roughness=0.1, metallic=0.0, opacity=0.15,
)
floor = Plane(
    "floor", normal=[0.0, 0.0, 1.0], offset=0.0, friction=1.0, restitution=1.0,
    base_color=[0.49, 0.42, 0.37], roughness=0.53, metallic=0.0,
)
water = Fluid(
    "water", size=[0.626, 0.427, 0.217], pos=[0.0, 0.0, 0.1585], acc=[0.0, 0.0, -9.81],
    material=Material("water", base_color=[0.25, 0.5, 0.7], roughness=0.12, metallic=0.0, opacity=0.7),
)
sun = DirectionalLight("sun", direction=[-0.299, 0.573, -0.763], intensity=8.00)
