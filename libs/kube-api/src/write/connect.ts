import type { KubeObject } from '#libs/kernel';
import { kindsOf } from '../kinds';
import { connectionJudged, toldBeside } from './outside';
import type { ConnectRequest, Prepared, StateView, WriteContext } from './request';

/** A connection is admitted, or not; nothing changes by it. */
export function prepareConnect(state: StateView, request: ConnectRequest, context: WriteContext): Prepared {
  const kind = kindsOf(state).kindOf(request.target.resource);
  const { admitted, warnings } = connectionJudged(state, kind, request, context);
  if (admitted.kind !== 'admitted') return toldBeside(admitted, warnings);
  return { kind: 'unchanged', object: request.options as unknown as KubeObject, warnings };
}
