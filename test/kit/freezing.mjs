/** Loaded into a service before itself: at SIGUSR2 the event loop of this process never turns again. */
process.on('SIGUSR2', () => {
  for (;;);
});
