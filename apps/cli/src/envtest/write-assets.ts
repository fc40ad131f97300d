import { chmodSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CliError } from '../cli-error';
import { makeFolderOf, reasonOf } from '../up/data-folder';
import { programVersion } from '../version';
import flags from './kube-apiserver-flags.json';

const etcdFlags = ['advertise-client-urls', 'data-dir', 'listen-client-urls', 'listen-peer-urls', 'name', 'unsafe-no-fsync'];

/** Suites ask for flags by `--help`: the text stands in the file itself, which answers within milliseconds. */
function component(name: string, flagNames: readonly string[]): string {
  return `#!/bin/sh
# ${name} of kubereel ${programVersion()}, for test suites (kubereel envtest-assets)
for word in "$@"; do
  case "$word" in
    --help|-h)
      cat <<'EOF'
${name} of kubereel ${programVersion()}, for test suites. Its flags:
${flagNames.map((flag) => `      --${flag}`).join('\n')}
EOF
      exit 0 ;;
    --version)
      ${name === 'etcd' ? `echo 'etcd Version: 3.6.4'` : `echo 'Kubernetes v1.34.4'`}
      exit 0 ;;
  esac
done
exec '${quoted(process.execPath)}' '${quoted(resolve(process.argv[1] as string))}' ${name} "$@"
`;
}

/** Some suites run kubectl through the folder; it is not kubereel's, so any other one is taken. */
const kubectl = `#!/bin/sh
# any kubectl but this file (kubereel envtest-assets)
here=$(cd "\${0%/*}" && pwd)
IFS=:
for folder in $PATH; do
  found="\${folder:-.}/kubectl"
  if [ -x "$found" ] && [ "$(cd "\${folder:-.}" && pwd)" != "$here" ]; then exec "$found" "$@"; fi
done
echo 'kubectl: there is none in PATH; kubereel brings none of its own. See https://kubernetes.io/docs/tasks/tools/' >&2
exit 127
`;

/** Writes the three files. @throws CliError naming the file that cannot be written */
export function writeAssets(folder: string): void {
  const target = resolve(folder);
  const files = {
    'kube-apiserver': component('kube-apiserver', [...flags.switches, ...flags.others].sort()),
    etcd: component('etcd', etcdFlags),
    kubectl,
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(target, name);
    makeFolderOf(path);
    try {
      writeFileSync(path, text);
      chmodSync(path, 0o755);
    } catch (error) {
      throw new CliError(`${path} cannot be written: ${reasonOf(error)}`);
    }
  }
  process.stdout.write(`export KUBEBUILDER_ASSETS='${quoted(target)}'\n`);
}

/** Inside single quotes of a shell. */
function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}
