// Makes libs/kube-api/src/validation/go-shapes.json, the fields of the API server's internal types as its error texts show whole values,
// from the declarations of one Kubernetes release in Go.
//
//   node scripts/update-shapes.mjs [--go DIR] [--check]
//
// --go        folder holding the Go modules kubernetes@v1.34.4 and api@v0.34.4 (default: k8s.io in Go's module cache)
// --check     writes nothing; exit 1 when the file is not what would be written
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { internalShapes } from './shapes/internal-shapes.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const version = '1.34.4';
const target = join(root, 'libs/kube-api/src/validation/go-shapes.json');
/** What error texts show, by group; what these are made of comes with them. */
const shown = {
  'core/v1': [
    'ContainerResizePolicy',
    'EphemeralContainer',
    'EventSource',
    'HostIP',
    'NodeAddress',
    'NodeSelectorTerm',
    'ObjectReference',
    'PersistentVolumeClaimSpec',
    'PersistentVolumeSource',
    'PersistentVolumeSpec',
    'PodIP',
    'PodResourceClaim',
    'PodSpec',
    'PodTemplateSpec',
    'ScopeSelector',
    'SeccompProfile',
    'SecurityContext',
    'ServicePort',
    'Taint',
    'VolumeNodeAffinity',
  ],
  'apps/v1': ['DaemonSetUpdateStrategy', 'DeploymentStrategy', 'StatefulSetUpdateStrategy'],
  'batch/v1': ['PodFailurePolicy', 'SuccessPolicy', 'UncountedTerminatedPods'],
  'flowcontrol/v1': ['FlowSchemaSpec', 'PriorityLevelConfigurationSpec'],
  'networking/v1': ['ParentReference', 'ServiceCIDRSpec'],
  'policy/v1': ['PodDisruptionBudgetSpec'],
  'resource/v1': ['AllocationResult', 'DeviceAttribute', 'ResourceClaimSpec', 'ResourceClaimTemplateSpec'],
  'storage/v1': ['CSINodeDriver', 'VolumeAttachmentSpec'],
};

const { values: options } = parseArgs({ options: { go: { type: 'string' }, check: { type: 'boolean' } } });
const modules = options.go ?? join(moduleCache(), 'k8s.io');
const missing = [`kubernetes@v${version}`, `api@v0.${version.slice(2)}`].filter((name) => !existsSync(join(modules, name)));
if (missing.length > 0) {
  console.error(`${modules} has no ${missing.join(', no ')}: go mod download ${missing.map((name) => `k8s.io/${name}`).join(' ')}`);
  process.exit(1);
}

/** Where Go keeps modules; without Go, where it keeps them unless told otherwise. */
function moduleCache() {
  try {
    return execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return join(homedir(), 'go/pkg/mod');
  }
}

const shapes = await internalShapes(modules, version, shown);
const source = `Fields of the internal types of a Kubernetes v${version} API server, in order (upstream licence Apache-2.0). A field is Name=name on the wire:kind; the notation is told in go-shapes.ts. Made by scripts/update-shapes.mjs.`;
const names = Object.keys(shapes).sort();
// One type a line: changes between releases stay readable.
const text = `{
 "source": ${JSON.stringify(source)},
 "shapes": {
${names.map((name) => `  ${JSON.stringify(name)}: ${JSON.stringify(shapes[name])}`).join(',\n')}
 }
}
`;
if (options.check) {
  if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    console.error(`${target} differs from what ${modules} gives; run scripts/update-shapes.mjs`);
    process.exit(1);
  }
  console.log(`shapes of ${names.length} types: as declared`);
} else {
  writeFileSync(target, text);
  console.log(`${target}: shapes of ${names.length} types, ${text.length} bytes`);
}
