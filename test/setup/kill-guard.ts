/** The number of an empty file is 0, and to kill 0 is to kill all of the tests, with whoever started them. */
const kill = process.kill.bind(process);
process.kill = (pid, signal) => {
  if (Math.abs(pid) <= 1) throw new Error(`a test was about to send ${signal ?? 'SIGTERM'} to ${pid}`);
  return kill(pid, signal);
};
