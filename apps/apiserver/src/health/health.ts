import type { RequestInfo } from '../request-info/request-info';
import { pageNotFound, textAnswer, textType, type Answer } from '../http/answer';
import { expositionType, Family, labelled } from '../metrics/exposition';

/** Names of upstream's checks, in its order. What stands behind them here is one thing: the fold follows the log. */
const hooks = `
start-apiserver-admission-initializer generic-apiserver-start-informers priority-and-fairness-config-consumer
priority-and-fairness-filter storage-object-count-tracker-hook start-apiextensions-informers start-apiextensions-controllers
crd-informer-synced start-system-namespaces-controller start-cluster-authentication-info-controller
start-kube-apiserver-identity-lease-controller start-kube-apiserver-identity-lease-garbage-collector
start-legacy-token-tracking-controller start-service-ip-repair-controllers rbac/bootstrap-roles
scheduling/bootstrap-system-priority-classes priority-and-fairness-config-producer bootstrap-controller
start-kubernetes-service-cidr-controller aggregator-reload-proxy-client-cert start-kube-aggregator-informers
apiservice-status-local-available-controller apiservice-status-remote-available-controller apiservice-registration-controller
apiservice-discovery-controller kube-apiserver-autoregistration autoregister-completion apiservice-openapi-controller
apiservice-openapiv3-controller`
  .trim()
  .split(/\s+/)
  .map((name) => (name === 'autoregister-completion' ? name : `poststarthook/${name}`));

const checks: Readonly<Record<string, readonly string[]>> = {
  healthz: ['ping', 'log', 'etcd', ...hooks],
  livez: ['ping', 'log', 'etcd', ...hooks],
  readyz: ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...hooks, 'shutdown'],
};

/** Paths below `/`, for the list of them. */
export const healthPaths: readonly string[] = Object.entries(checks).flatMap(([root, names]) => [
  `/${root}`,
  ...names.map((name) => `/${root}/${name}`),
]);

/** Where the results of the checks are told as metrics. */
export const slisPath = '/metrics/slis';

/** The checks that ask the event log. */
const logChecks: ReadonlySet<string> = new Set(['etcd', 'etcd-readiness']);

/**
 * `/healthz`, `/livez`, `/readyz` and each check below them. Undefined: another path.
 * @param trouble why the event log cannot be used; undefined when it can
 */
export async function healthAnswer({ path, query }: RequestInfo, trouble: () => Promise<string | undefined>): Promise<Answer | undefined> {
  if (path === slisPath) return slis((await trouble()) === undefined);
  const [, root = '', ...rest] = path.split('/');
  const names = Object.hasOwn(checks, root) ? (checks[root] as readonly string[]) : undefined;
  if (!names) return undefined;
  const name = rest.join('/');
  if (name !== '') return singleCheck(names, name, trouble);
  const excluded = new Set(query.all('exclude'));
  const asking = names.filter((check) => logChecks.has(check) && !excluded.has(check));
  const failed = asking.length > 0 && (await trouble()) !== undefined ? asking : [];
  if (failed.length === 0 && !query.has('verbose')) return textAnswer(200, 'ok');
  const lines = names.map((check) => {
    if (excluded.has(check)) return `[+]${check} excluded: ok`;
    return failed.includes(check) ? `[-]${check} failed: reason withheld` : `[+]${check} ok`;
  });
  const verdict = failed.length === 0 ? 'passed' : 'failed';
  return textAnswer(failed.length === 0 ? 200 : 500, `${lines.join('\n')}\n${root} check ${verdict}\n`);
}

/** Each check of each path, made now: 1 where it passes. */
function slis(isLogThere: boolean): Answer {
  const results = new Family('kubernetes_healthcheck', 'gauge', 'Whether a check of health passes.');
  for (const [type, names] of Object.entries(checks))
    for (const name of names) results.add(labelled({ name, type }), !logChecks.has(name) || isLogThere ? 1 : 0);
  return { status: 200, contentType: expositionType, body: results.text() };
}

async function singleCheck(names: readonly string[], name: string, trouble: () => Promise<string | undefined>): Promise<Answer> {
  if (!names.includes(name)) return pageNotFound();
  const reason = logChecks.has(name) ? await trouble() : undefined;
  if (reason !== undefined) return textAnswer(500, `internal server error: ${reason}\n`);
  return { status: 200, contentType: textType, body: 'ok' };
}
