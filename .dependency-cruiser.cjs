// The boundaries of docs/architecture.md, as rules. `npm run lint` holds them.
const pure = '^libs/(kernel|cel|validation|events|cluster-state|kube-api|scheduling|audit|control-loop/src/asked|kubelet|controllers|scheduler)/';
// Controllers are made with the pure half of the control loop (work queues, reconcilers), which comes with the other half.
const controllers = '^libs/(kubelet|controllers|scheduler)/';
const tests = '\\.(unit|int|e2e)\\.spec\\.ts$|\\.fixture\\.ts$|/contract/';

const doors = ['^libs/app-shell/src/log-memory/index[.]ts$', '^libs/app-shell/src/certificates/index[.]ts$', '^libs/app-shell/src/outside/index[.]ts$', '^libs/control-loop/src/asked/index[.]ts$', '^libs/kube-api/src/audit/index[.]ts$', '^libs/kube-api/src/openapi/index[.]ts$', '^libs/kube-api/src/tokens/index[.]ts$', '^libs/[^/]+/src/index\\.ts$', '^libs/controllers/src/[^/]+/index\\.ts$'];

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', comment: 'A circle of modules has no order to load them in; types alone are not loaded.', from: { path: '^(libs|apps)/[^/]+/' }, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    { name: 'pure-core-no-frameworks', severity: 'error', comment: 'The pure core imports no Nest and no rxjs.', from: { path: pure, pathNot: tests }, to: { path: 'node_modules/(@nestjs|rxjs)/' } },
    { name: 'pure-core-no-io', severity: 'error', comment: 'The pure core does no input or output; hashing (node:crypto) is a function.', from: { path: pure, pathNot: tests }, to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' } },
    { name: 'pure-core-no-shells', severity: 'error', comment: 'Types of the control loop are welcome, its machinery is not.', from: { path: pure, pathNot: `${tests}|${controllers}` }, to: { path: '^libs/(control-loop|app-shell|testing)/', pathNot: '^libs/control-loop/src/(asked/|controller[.]ts$)', dependencyTypesNot: ['type-only'] } },
    { name: 'controllers-no-shells', severity: 'error', from: { path: controllers, pathNot: tests }, to: { path: '^libs/(app-shell|testing|event-log|audit)/', dependencyTypesNot: ['type-only'] } },
    { name: 'kernel-imports-nothing', severity: 'error', from: { path: '^libs/kernel/', pathNot: tests }, to: { path: '^(libs/(?!kernel/)|apps/|node_modules/)' } },
    { name: 'libs-by-their-door', severity: 'error', comment: 'A library is what its index names (libs/controllers: one index a group of controllers).', from: { path: '^libs/([^/]+)/', pathNot: tests }, to: { path: '^libs/[^/]+/src/', pathNot: ['^libs/$1/', ...doors] } },
    { name: 'libs-by-their-door-for-apps', severity: 'error', from: { path: '^apps/', pathNot: tests }, to: { path: '^libs/[^/]+/src/', pathNot: doors } },
    { name: 'process-imports-nothing', severity: 'error', from: { path: '^libs/process/', pathNot: tests }, to: { path: '^(libs/(?!process/)|apps/|node_modules/(?!@types/))' } },
    { name: 'libs-not-apps', severity: 'error', from: { path: '^libs/' }, to: { path: '^apps/' } },
    { name: 'apps-not-each-other', severity: 'error', comment: 'Apps meet on the event stream only; the CLI is the composition root.', from: { path: '^apps/([^/]+)/', pathNot: `^apps/cli/|${tests}` }, to: { path: '^apps/', pathNot: '^apps/$1/' } },
    { name: 'nest-in-shells-only', severity: 'error', from: { path: '^libs/(?!app-shell/|testing/)', pathNot: tests }, to: { path: 'node_modules/@nestjs/' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['source', 'node', 'require', 'import', 'default', 'types'], extensions: ['.ts', '.js', '.json'] },
  },
};
