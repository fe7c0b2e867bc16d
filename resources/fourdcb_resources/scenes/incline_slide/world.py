# A block slides down a ramp and out over the floor.
world = World(duration=1.0, fps=30.0, ambient=0.175, background=[0.472, 0.496, 0.543])
camera = Camera(
    pos=[-1.091, -0.634, 0.453], target=[-1.145, -0.003, 0.354], fov_y_deg=45.3, width=256,
    height=256, distortion=[-0.0495, 0.0002, -0.00077, 0.00015, 0.0],
)
block = Object(
    "block", geometry="box", size=[0.229, 0.229, 0.104], mass=6.22, friction=0.328, restitution=0.1,
    pos=[-1.20265, 0.0, 0.38801], rot=[0.9908658899361095, 0.0, 0.13485098502095572, 0.0],
    vel=[0.337, 0.0, -0.0935], acc=[0.0, 0.0, -9.81], material="nylon",
    base_color=[0.37, 0.73, 0.42],
)
ramp = Object(
    "ramp", geometry="box", size=[1.4, 0.4, 0.06], friction=1.0, restitution=1.0,
    pos=[-0.68256, 0.0, 0.15816], rot=[0.9908658899361095, 0.0, 0.13485098502095572, 0.0],
    vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, 0.0], fixed=True, base_color=[0.62, 0.61, 0.6],
    roughness=0.679, metallic=0.0,
)
still_1 = Object(
    "still_1", geometry="box", size=[0.118, 0.118, 0.118], pos=[-0.1, 0.5, 0.059],
    vel=[0.0, 0.0, 0.0], acc=[0.0, 0.0, 0.0], fixed=True,
    material=Material("ceramic", base_color=[0.44, 0.78, 0.84], friction=None, restitution=None),
)
floor = Plane(
    "floor", normal=[0.0, 0.0, 1.0], offset=0.0, friction=1.0, restitution=1.0,
    base_color=[0.74, 0.73, 0.72], roughness=0.711, metallic=0.0,
)
sun = DirectionalLight("sun", direction=[-0.135, 0.433, -0.891], intensity=3.39)
