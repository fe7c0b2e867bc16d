"""What feeds the parts of the window from the session; presenters only show."""
