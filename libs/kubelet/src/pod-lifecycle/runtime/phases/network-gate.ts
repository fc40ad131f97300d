import { networkNotReady } from '../../../node-registration/node-ready';
import { specOf } from '../../pod-types';
import { tell } from '../tell';
import type { StartGate } from '../before-start/start-gate';

/** How long a sync that found no network is left alone, ms (upstream: 1 s, and up to half as much again; and the next turn of the loop). */
const retryMs = 1_900;
/** A pod that waited is synced again within this, ms. */
const noticedMs = 1_000;
/** More Events than that about a pod are held back for long. */
const toldAtOnce = 25;

/** Pods with a network of their own wait for the node's (upstream `syncPod`). */
export const networkIsReady: StartGate = ({ at }, _runtime, passage, progress) => {
  const { cluster, node, pod, now } = passage;
  const { networkDownSince, networkUpSince } = cluster.decisions.nodes.of(node.metadata.name);
  if (specOf(pod).hostNetwork) return at;
  if (networkDownSince === undefined) return networkUpSince === undefined || networkUpSince < at ? at : networkUpSince + noticedMs;
  const since = Math.max(at, networkDownSince);
  const times = 1 + Math.floor((now - since) / retryMs);
  const message = `network is not ready: ${networkNotReady}`;
  tell(progress, passage, { type: 'Warning', reason: 'NetworkNotReady', message }, { times, since });
  return times < toldAtOnce ? { until: since + times * retryMs } : {};
};
