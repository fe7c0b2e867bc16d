# A tall block is pushed, tips over its edge and comes to rest.
world = World(duration=1.0, fps=30.0, ambient=0.233, background=[0.491, 0.516, 0.565])
camera = Camera(
    pos=[0.297, -0.847, 0.626], target=[-0.064, 0.03, 0.213], fov_y_deg=44.5, width=256, height=256,
    distortion=[-0.1045, 0.0272, 0.00147, -0.00094, 0.0],
)
block = Object(
    "block", geometry="box", size=[0.145, 0.145, 0.496], mass=12.3, friction=0.423,
    restitution=0.292, pos=[-0.3, 0.0, 0.248], vel=[0.61, 0.0, 0.114], ang_vel=[0.0, 2.17, 0.0],
    acc=[0.0, 0.0, -9.81], material="acrylic", base_color=[0.68, 0.39, 0.66],
)
still_1 = Object(
    "still_1", geometry="cylinder", size=[0.112, 0.112, 0.112], pos=[-0.1, 0.45, 0.056],
    vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, 0.0], fixed=True,
    material=Material("steel", base_color=[0.73, 0.38, 0.36], metallic=0.6, friction=None, restitution=None),
)
still_2 = Object(
    "still_2", geometry="sphere", size=[0.096, 0.096, 0.096], pos=[0.6, 0.5, 0.048],
    vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, 0.0], fixed=True,
    material=Material("pine", base_color=[0.68, 0.66, 0.21], friction=None, restitution=None),
)
floor = Plane(
    "floor", normal=[0.0, 0.0, 1.0], offset=0.0, friction=1.0, restitution=1.0,
    base_color=[0.63, 0.62, 0.61], roughness=0.56, metallic=0.0,
)
sun = DirectionalLight(
    "sun", direction=[-0.324, 0.264, -0.909], intensity=2.83, intensity_curve=[1.0, 0.933, 0.788],
)
