"""How perf/run starts programs, puts load on them and shows what they cost."""
