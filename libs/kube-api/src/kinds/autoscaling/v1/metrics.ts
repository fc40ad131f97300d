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

export function specToV1({ type, object, pods, resource, containerResource, external }: Loose): object {
  return {
    type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      targetValue: object.target.value,
      selector: object.metric.selector,
      averageValue: object.target.averageValue,
    },
    pods: pods && { metricName: pods.metric.name, targetAverageValue: pods.target.averageValue, selector: pods.metric.selector },
    resource: resource && resourceSpecToV1(resource),
    containerResource: containerResource && { ...resourceSpecToV1(containerResource), container: containerResource.container },
    external: external && {
      metricName: external.metric.name,
      metricSelector: external.metric.selector,
      targetValue: external.target.value,
      targetAverageValue: external.target.averageValue,
    },
  };
}

const resourceSpecToV1 = ({ name, target: wanted }: Loose): object => ({
  name,
  targetAverageUtilization: wanted.averageUtilization,
  targetAverageValue: wanted.averageValue,
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
      metricName: object.metric.name,
      currentValue: object.current.value,
      selector: object.metric.selector,
      averageValue: object.current.averageValue,
    },
    pods: pods && { metricName: pods.metric.name, currentAverageValue: pods.current.averageValue, selector: pods.metric.selector },
    resource: resource && resourceStatusToV1(resource),
    containerResource: containerResource && { ...resourceStatusToV1(containerResource), container: containerResource.container },
    external: external && {
      metricName: external.metric.name,
      metricSelector: external.metric.selector,
      currentValue: external.current.value,
      currentAverageValue: external.current.averageValue,
    },
  };
}

const resourceStatusToV1 = ({ name, current }: Loose): object => ({
  name,
  currentAverageUtilization: current.averageUtilization,
  currentAverageValue: current.averageValue,
});
