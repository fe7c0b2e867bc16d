"""A particle fluid that pushes bodies and is pushed by them.

Particles carry mass and velocity; a grid makes the flow incompressible. Velocities go to the grid and back
by the affine particle-in-cell method (Jiang et al., ACM Trans. Graph. 34(4), 2015). The pressure projection
knows bodies by the volume that they take from every cell, so that what pushes a body is exactly what it
takes from the flow (Batty, Bertails & Bridson, ACM Trans. Graph. 26(3), 2007): hydrostatics and added mass
come out of one linear system, and light bodies are as stable as heavy ones. Where particles crowd they are
moved apart by a second, cheaper projection of their positions (Kugelstadt et al., Symp. Computer Animation,
2019).

Everything runs in one thread, in a fixed order: the same world gives the same bits.
"""
