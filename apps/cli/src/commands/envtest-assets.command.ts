import { Command } from 'commander';

const help = `
A suite that uses envtest (Go's controller-runtime, and what follows it in Java
and Rust) finds there what it starts: kube-apiserver, etcd and kubectl.

  kubereel envtest-assets ./envtest
  KUBEBUILDER_ASSETS=$PWD/envtest go test ./...

As under envtest, nothing but the API server runs. More is asked for in the
environment of the suite:
  KUBEREEL_APPS   apps beside it, as in kubereel up --apps:
                  controller-manager/garbage-collector-controller
  KUBEREEL_KEEP   a folder in which the log of each API server stays, for
                  kubereel why and kubereel verify

What works and what does not: docs/envtest.md
`;

export function envtestAssetsCommand(): Command {
  return new Command('envtest-assets')
    .description('Write the folder that KUBEBUILDER_ASSETS names: a kube-apiserver, an etcd and a kubectl for test suites.')
    .argument('<folder>', 'made where it is not there; only the three files are written')
    .addHelpText('after', help)
    .action(async (folder: string) => {
      const { writeAssets } = await import('../envtest/write-assets.js');
      writeAssets(folder);
    });
}

/** What the files in that folder call. */
export function componentCommands(): Command[] {
  const component = (name: string, serve: (words: readonly string[]) => Promise<void>): Command =>
    new Command(name)
      .allowUnknownOption()
      .allowExcessArguments()
      .helpOption(false)
      .action((_flags, command: Command) => serve(command.args));
  return [
    component('kube-apiserver', async (words) => (await import('../envtest/kube-apiserver.js')).serveAsKubeApiserver(words)),
    component('etcd', async (words) => (await import('../envtest/etcd.js')).serveAsEtcd(words)),
  ];
}
