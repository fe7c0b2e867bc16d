"""The parts of the window that show results and values. They get data through setters and emit signals."""
