def cora_twin(): raise NotImplementedError
