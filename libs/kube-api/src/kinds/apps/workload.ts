import type { KubeObject } from '#libs/kernel';
import type { Loose } from '../../printing/cell';
import { warnAboutName, warnAboutTemplate } from '../core/pods/warnings';
import { statusUpdate } from '../../strategy/status-update';
import { isSet } from '../../validation/values';
import type { KindValidation } from '../behaviour';
import { validateWorkload, validateWorkloadStatusUpdate, validateWorkloadUpdate, type Workload } from './workload-validation';

/** What kinds with a pod template have in common. */

/** Names and images of a template's containers, as two cells. */
export function containerCells(template: Loose): [string, string] {
  const containers: Loose[] = template?.spec?.containers ?? [];
  return [containers.map(({ name = '' }) => name).join(','), containers.map(({ image = '' }) => image).join(',')];
}

export function workloadValidation(kind: Workload): KindValidation {
  return {
    create: (object, errors) => validateWorkload(kind, object, errors),
    update: (updated, old, errors) => validateWorkloadUpdate(kind, updated, old, errors),
    subresources: { status: (updated, old, errors) => validateWorkloadStatusUpdate(kind, updated, old, errors) },
  };
}

/** Pods that are on their way out are counted by a feature that is off in the recorded release: what nobody has counted yet, nobody begins to. */
export function workloadStatus(updated: KubeObject, old: KubeObject): KubeObject {
  const changed = statusUpdate(updated, old);
  if (changed.status?.terminatingReplicas === undefined || isSet(old.status?.terminatingReplicas)) return changed;
  const { terminatingReplicas: _, ...status } = changed.status;
  return { ...changed, status };
}

/** Workloads are warned about at their creation and when their template changes. */
export function warnAboutWorkload(workload: KubeObject, old: KubeObject | undefined, warnings: string[]): void {
  if (old && old.metadata.generation === workload.metadata.generation) return;
  if (!old) warnAboutName(workload.metadata.name, 'Pod names and hostnames', warnings);
  warnAboutTemplate(workload.spec?.template ?? {}, 'spec.template', warnings);
}
