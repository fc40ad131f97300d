import { isSet, type Loose } from '../../../validation/values';

/** Metrics of autoscaling/v1, as its annotations have them, and of v2: the same under other names. A field that is absent stays so. */

const identified = (name: unknown, selector: unknown) => ({ name, selector });

/** What a target is measured by follows from what it names. */
function target(type: string, values: object): object {
  return { type, ...values };
}

export function specFromV1({ type, object, pods, resource, containerResource, external }: Loose): object {
  return {
    type,
    object: object && {
      describedObject: object.target,
      target: target(isSet(object.averageValue) ? 'AverageValue' : 'Value', {
        value: object.targetValue,
        averageValue: object.averageValue,
      }),
      metric: identified(object.metricName, object.selector),
    },
    pods: pods && {
      metric: identified(pods.metricName, pods.selector),
      target: target('AverageValue', { averageValue: pods.targetAverageValue }),
    },
    resource: resource && { name: resource.name, target: resourceTarget(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      target: resourceTarget(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: identified(external.metricName, external.metricSelector),
      target: target(isSet(external.targetValue) ? 'Value' : 'AverageValue', {
        value: external.targetValue,
        averageValue: external.targetAverageValue,
      }),
    },
  };
}

function resourceTarget({ targetAverageUtilization: averageUtilization, targetAverageValue: averageValue }: Loose): object {
  return target(isSet(averageUtilization) ? 'Utilization' : 'AverageValue', { averageValue, averageUtilization });
}

/** What Go holds as a struct is there, if only empty: what is converted need not be valid yet. */
const held = (struct: Loose | null | undefined): Loose => struct ?? {};

export function specToV1({ type, object, pods, resource, containerResource, external }: Loose): object {
  return {
    type,
    object: object && {
      target: object.describedObject,
      metricName: held(object.metric).name,
      targetValue: held(object.target).value,
      selector: held(object.metric).selector,
      averageValue: held(object.target).averageValue,
    },
    pods: pods && {
      metricName: held(pods.metric).name,
      targetAverageValue: held(pods.target).averageValue,
      selector: held(pods.metric).selector,
    },
    resource: resource && resourceSpecToV1(resource),
    containerResource: containerResource && { ...resourceSpecToV1(containerResource), container: containerResource.container },
    external: external && {
      metricName: held(external.metric).name,
      metricSelector: held(external.metric).selector,
      targetValue: held(external.target).value,
      targetAverageValue: held(external.target).averageValue,
    },
  };
}

const resourceSpecToV1 = ({ name, target: wanted }: Loose): object => ({
  name,
  targetAverageUtilization: held(wanted).averageUtilization,
  targetAverageValue: held(wanted).averageValue,
});

export function statusFromV1({ type, object, pods, resource, containerResource, external }: Loose): object {
  return {
    type,
    object: object && {
      metric: identified(object.metricName, object.selector),
      current: { value: object.currentValue, averageValue: object.averageValue },
      describedObject: object.target,
    },
    pods: pods && { metric: identified(pods.metricName, pods.selector), current: { averageValue: pods.currentAverageValue } },
    resource: resource && { name: resource.name, current: resourceCurrent(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      current: resourceCurrent(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: identified(external.metricName, external.metricSelector),
      current: { value: external.currentValue, averageValue: external.currentAverageValue },
    },
  };
}

const resourceCurrent = ({ currentAverageValue: averageValue, currentAverageUtilization: averageUtilization }: Loose): object => ({
  averageValue,
  averageUtilization,
});

export function statusToV1({ type, object, pods, resource, containerResource, external }: Loose): object {
  return {
    type,
    object: object && {
      target: object.describedObject,
      metricName: held(object.metric).name,
      currentValue: held(object.current).value,
      selector: held(object.metric).selector,
      averageValue: held(object.current).averageValue,
    },
    pods: pods && {
      metricName: held(pods.metric).name,
      currentAverageValue: held(pods.current).averageValue,
      selector: held(pods.metric).selector,
    },
    resource: resource && resourceStatusToV1(resource),
    containerResource: containerResource && { ...resourceStatusToV1(containerResource), container: containerResource.container },
    external: external && {
      metricName: held(external.metric).name,
      metricSelector: held(external.metric).selector,
      currentValue: held(external.current).value,
      currentAverageValue: held(external.current).averageValue,
    },
  };
}

const resourceStatusToV1 = ({ name, current }: Loose): object => ({
  name,
  currentAverageUtilization: held(current).averageUtilization,
  currentAverageValue: held(current).averageValue,
});
