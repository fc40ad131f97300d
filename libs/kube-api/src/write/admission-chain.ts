import type { KubeObject } from '#libs/kernel';
import type { ResourceKind } from '../kinds';
import type { Failure } from '../status';
import type { UpdatedSubresource } from '../strategy';
import type { StateView, WriteContext } from './request';

export function admitted(_state: StateView, _kind: ResourceKind, object: KubeObject, _context: WriteContext): KubeObject | Failure {
  return object;
}

export function admittedUpdate(_kind: ResourceKind, object: KubeObject, _old: KubeObject, _subresource?: UpdatedSubresource): KubeObject {
  return object;
}
