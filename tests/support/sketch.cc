// placeholder until the first builder lands
