"""Provider-independent rules about models: choosing one, estimating tokens, parsing structured output."""
