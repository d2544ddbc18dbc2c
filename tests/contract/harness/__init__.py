"""What every harness of an agent must do, whoever runs the model."""
