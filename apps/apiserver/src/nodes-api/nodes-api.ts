import { hasKubelet } from '#libs/cluster-state';
import type { ClusterRuntime } from '#libs/control-loop';
import { badRequest, conflict, isFailure, methodNotAllowed, notFound, type Failure } from '#libs/kube-api';
import type { ApiRequest } from '../api-request';
import { jsonAnswer, type Answer } from '../http/answer';
import { befalling } from './node-actions';

const nodesPath = /^\/kubereel\/nodes\/([^/]+)\/([^/]+)$/;

/**
 * `POST /kubereel/nodes/NAME/ACTION`: what befalls the machine of a simulated node, for `kubereel node`: fail, recover, restart-kubelet, reboot, pressure,
 * runtime, shutdown, static. The body is a JSON object of options, or absent. Answers the names of the events that were written, in order. Undefined: another path.
 */
export async function nodesAnswer(request: ApiRequest, runtime: ClusterRuntime): Promise<Answer | Failure | undefined> {
  const [, name, action] = nodesPath.exec(request.info.path) ?? [];
  if (name === undefined || action === undefined) return undefined;
  if (request.info.method !== 'POST') return methodNotAllowed();
  const options = await optionsOf(request);
  if (isFailure(options)) return options;
  const { state } = runtime;
  const node = state.get('nodes', undefined, name);
  if (!node) return notFound('nodes', name);
  if (!hasKubelet(node)) return conflict('nodes', name, 'no simulated kubelet runs this node');
  const now = runtime.clock.now();
  const asked = befalling(action, { node: name, object: node, now, record: state.decisions.nodes.of(name) }, options.body);
  if ('problem' in asked) return badRequest(asked.problem);
  if ('refused' in asked) return asked.refused;
  const { user, operation, auditId } = request;
  const origin = { actor: `user:${user.name}`, operation, correlationId: auditId };
  if (asked.facts.length > 0) await runtime.appendDecision('kubelet-decisions', asked.facts, origin, '0');
  return jsonAnswer(200, { node: name, events: asked.facts.map(({ type }) => type) });
}

async function optionsOf(request: ApiRequest): Promise<{ body: unknown } | Failure> {
  const read = await request.readBody();
  if (read.kind !== 'read') return badRequest('the body could not be read');
  const text = read.bytes.toString('utf8').trim();
  if (text === '') return { body: {} };
  try {
    return { body: JSON.parse(text) as unknown };
  } catch {
    return badRequest('the body has to be a JSON object, or absent');
  }
}
