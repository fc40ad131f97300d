import { Definitions, releaseDefinitions } from '../../../schema';

/**
 * What annotations of autoscaling/v1 hold: metrics in the form of v1, whose types are in no published schema, and behaviour in the form that
 * the server has inside. Source: the declarations in Go (k8s.io/api/autoscaling/v1, kubernetes/pkg/apis/autoscaling).
 */
const target = 'target autoscaling.v1.CrossVersionObjectReference always';
const selector = 'selector meta.v1.LabelSelector pointer';

export const v1Definitions = new Definitions(
  {
    definitions: {
      'v1.Metrics': ['items []v1.MetricSpec always'],
      'v1.MetricSpec': [
        'type string always',
        'object v1.ObjectMetricSource pointer',
        'pods v1.PodsMetricSource pointer',
        'resource v1.ResourceMetricSource pointer',
        'containerResource v1.ContainerResourceMetricSource pointer',
        'external v1.ExternalMetricSource pointer',
      ],
      'v1.ObjectMetricSource': [
        target,
        'metricName string always',
        'targetValue quantity always',
        selector,
        'averageValue quantity pointer',
      ],
      'v1.PodsMetricSource': ['metricName string always', 'targetAverageValue quantity always', selector],
      'v1.ResourceMetricSource': ['name string always', 'targetAverageUtilization int32 pointer', 'targetAverageValue quantity pointer'],
      'v1.ContainerResourceMetricSource': [
        'name string always',
        'targetAverageUtilization int32 pointer',
        'targetAverageValue quantity pointer',
        'container string always',
      ],
      'v1.ExternalMetricSource': [
        'metricName string always',
        'metricSelector meta.v1.LabelSelector pointer',
        'targetValue quantity pointer',
        'targetAverageValue quantity pointer',
      ],
      'v1.Statuses': ['items []v1.MetricStatus always'],
      'v1.MetricStatus': [
        'type string always',
        'object v1.ObjectMetricStatus pointer',
        'pods v1.PodsMetricStatus pointer',
        'resource v1.ResourceMetricStatus pointer',
        'containerResource v1.ContainerResourceMetricStatus pointer',
        'external v1.ExternalMetricStatus pointer',
      ],
      'v1.ObjectMetricStatus': [
        target,
        'metricName string always',
        'currentValue quantity always',
        selector,
        'averageValue quantity pointer',
      ],
      'v1.PodsMetricStatus': ['metricName string always', 'currentAverageValue quantity always', selector],
      'v1.ResourceMetricStatus': ['name string always', 'currentAverageUtilization int32 pointer', 'currentAverageValue quantity always'],
      'v1.ContainerResourceMetricStatus': [
        'name string always',
        'currentAverageUtilization int32 pointer',
        'currentAverageValue quantity always',
        'container string always',
      ],
      'v1.ExternalMetricStatus': [
        'metricName string always',
        'metricSelector meta.v1.LabelSelector pointer',
        'currentValue quantity always',
        'currentAverageValue quantity pointer',
      ],
      'v1.Conditions': ['items []autoscaling.v2.HorizontalPodAutoscalerCondition always'],
      'v1.Behavior': ['ScaleUp v1.ScalingRules pointer always', 'ScaleDown v1.ScalingRules pointer always'],
      'v1.ScalingRules': [
        'StabilizationWindowSeconds int32 pointer always',
        'SelectPolicy string pointer always',
        'Policies []v1.ScalingPolicy always',
        'Tolerance quantity pointer always',
      ],
      'v1.ScalingPolicy': ['Type string always', 'Value int32 always', 'PeriodSeconds int32 always'],
    },
  },
  releaseDefinitions,
);
