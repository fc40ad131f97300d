import type { Plugin } from '../framework/interface';
import { CrossNodePreemption } from './cross-node-preemption/cross-node-preemption';
import { DefaultBinder } from './default-binder/default-binder';
import { DefaultPreemption } from './default-preemption/default-preemption';
import { DynamicResources } from './dynamic-resources/dynamic-resources';
import { ImageLocality } from './image-locality/image-locality';
import { InterPodAffinity } from './inter-pod-affinity/inter-pod-affinity';
import { NodeAffinity } from './node-affinity/node-affinity';
import { NodeName } from './node-name/node-name';
import { NodePorts } from './node-ports/node-ports';
import { NodeResourcesBalancedAllocation } from './node-resources/balanced-allocation';
import { NodeResourcesFit } from './node-resources/fit';
import { NodeVolumeLimits } from './node-volume-limits/node-volume-limits';
import { NodeUnschedulable } from './node-unschedulable/node-unschedulable';
import { PodTopologySpread } from './pod-topology-spread/pod-topology-spread';
import { PrioritySort } from './priority-sort/priority-sort';
import { SchedulingGates } from './scheduling-gates/scheduling-gates';
import { TaintToleration } from './taint-toleration/taint-toleration';
import { VolumeBinding } from './volume-binding/volume-binding';
import { VolumeRestrictions } from './volume-restrictions/volume-restrictions';
import { VolumeZone } from './volume-zone/volume-zone';

/** Makes a plugin from its arguments (the `args` of its pluginConfig entry, validated). */
export type PluginFactory = (args: object | undefined) => Plugin;
export type Registry = ReadonlyMap<string, PluginFactory>;

export const defaultRegistry: Registry = new Map<string, PluginFactory>([
  ['SchedulingGates', () => new SchedulingGates()],
  ['PrioritySort', () => new PrioritySort()],
  ['NodeUnschedulable', () => new NodeUnschedulable()],
  ['NodeName', () => new NodeName()],
  ['TaintToleration', () => new TaintToleration()],
  ['NodeAffinity', (args) => new NodeAffinity(args)],
  ['NodePorts', () => new NodePorts()],
  ['NodeResourcesFit', (args) => new NodeResourcesFit(args)],
  ['VolumeRestrictions', () => new VolumeRestrictions()],
  ['NodeVolumeLimits', () => new NodeVolumeLimits()],
  ['VolumeBinding', () => new VolumeBinding()],
  ['VolumeZone', () => new VolumeZone()],
  ['PodTopologySpread', (args) => new PodTopologySpread(args)],
  ['InterPodAffinity', (args) => new InterPodAffinity(args)],
  ['DynamicResources', () => new DynamicResources()],
  ['DefaultPreemption', (args) => new DefaultPreemption(args)],
  // Not among the default plugins: a configuration has to enable it.
  ['CrossNodePreemption', (args) => new CrossNodePreemption(args)],
  ['NodeResourcesBalancedAllocation', (args) => new NodeResourcesBalancedAllocation(args)],
  ['ImageLocality', () => new ImageLocality()],
  ['DefaultBinder', () => new DefaultBinder()],
]);
