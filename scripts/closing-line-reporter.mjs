// Ends a test run with one plain line: `N passed, N failed, N skipped`. A file that could not be loaded counts as failed.
export default class ClosingLineReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      if (module.state() === 'failed' && [...module.children.allTests()].length === 0) count.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        count[state === 'passed' || state === 'failed' ? state : 'skipped']++;
      }
    }
    // After the default reporter's own summary.
    process.once('exit', () => process.stdout.write(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`));
  }
}
