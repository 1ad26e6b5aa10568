"""Takes runs of benchmarks, which the console compares."""
