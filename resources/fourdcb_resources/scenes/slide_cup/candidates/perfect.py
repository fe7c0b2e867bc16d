# A ceramic cup skids over a table, hops over its edge and down to the floor, where it slides to rest.
# How high it hops shows the restitution; how soon it stops shows the friction.
world = World(duration=4.0, fps=30, background=[0.42, 0.47, 0.54])

cup = Object(
    "cup",
    geometry="cylinder",
    size=[0.08, 0.08, 0.10],
    mass=0.15,
    friction=0.23,
    restitution=0.55,
    pos=[-0.45, 0.0, 0.60],
    vel=[2.20, 0.0, 0.0],
    acc=[0.0, 0.0, -9.8],
    material=Material(base_color=[0.86, 0.87, 0.90], roughness=0.30, metallic=0.0),
)
table = Object(
    "table",
    geometry="box",
    size=[0.70, 0.40, 0.04],
    pos=[-0.35, 0.0, 0.43],
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
    offset=0.0,
    friction=1.0,
    restitution=0.25,
    material=Material(base_color=[0.50, 0.47, 0.44], roughness=0.80, metallic=0.0),
)

sun = DirectionalLight("sun", direction=[-0.40, 0.60, -0.75], intensity=4.0)
camera = Camera(pos=[0.40, -1.72, 0.85], target=[0.155, 0.0, 0.25], fov_y_deg=41, width=256, height=256)
