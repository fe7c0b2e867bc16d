# A glazed cup is pushed over a wet table. It runs into a round beam, comes back and slides until it stops.
# How fast it comes back shows the restitution; how soon it stops shows the friction.
world = World(duration=4.0, fps=30, background=[0.42, 0.47, 0.54])

cup = Object(
    "cup",
    geometry="cylinder",
    size=[0.18, 0.18, 0.16],
    mass=0.30,
    friction=0.018,
    restitution=0.80,
    pos=[-0.38, 0.0, 0.08],
    vel=[1.15, 0.0, 0.0],
    acc=[0.0, 0.0, -9.8],
    material=Material(base_color=[0.86, 0.87, 0.90], roughness=0.30, metallic=0.0),
)
bumper = Object(
    "bumper",
    geometry="cylinder",
    size=[0.16, 0.16, 0.44],
    pos=[0.46, 0.0, 0.08],
    rot=[0.7071067811865476, 0.7071067811865476, 0.0, 0.0],
    vel=[0.0, 0.0, 0.0],
    acc=[0.0, 0.0, 0.0],
    fixed=True,
    friction=1.0,
    restitution=1.0,
    material=Material(base_color=[0.20, 0.38, 0.34], roughness=0.45, metallic=0.0),
)
table = Object(
    "table",
    geometry="box",
    size=[1.30, 0.66, 0.05],
    pos=[0.0, 0.0, -0.025],
    vel=[0.0, 0.0, 0.0],
    acc=[0.0, 0.0, 0.0],
    fixed=True,
    friction=1.0,
    restitution=1.0,
    material=Material(base_color=[0.62, 0.42, 0.25], roughness=0.50, metallic=0.0),
)
floor = Plane(
    "floor",
    normal=[0.0, 0.0, 1.0],
    offset=-0.40,
    friction=1.0,
    restitution=0.25,
    material=Material(base_color=[0.50, 0.47, 0.44], roughness=0.80, metallic=0.0),
)

sun = DirectionalLight("sun", direction=[-0.40, 0.60, -0.75], intensity=4.0)
camera = Camera(pos=[-0.01, -1.40, 1.02], target=[-0.01, 0.0, 0.02], fov_y_deg=40, width=256, height=256)
