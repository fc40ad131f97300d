import { setDefinitionDefaults } from '../../custom-resources/definition/defaults';
import { definitionStrategy } from '../../custom-resources/definition/strategy';
import { validateDefinition, validateDefinitionStatusUpdate, validateDefinitionUpdate } from '../../custom-resources/definition/validation';
import { warnOfFormats } from '../../custom-resources/definition/warnings';
import type { KindDescription } from '../behaviour';

const customResourceDefinitions: KindDescription = {
  name: 'customresourcedefinitions.apiextensions.k8s.io',
  served: true,
  generation: 'managed',
  conditionalUpdateOnly: true,
  formerVersions: ['apiextensions.k8s.io/v1beta1'],
  setDefaults: setDefinitionDefaults,
  strategy: definitionStrategy,
  warn: warnOfFormats,
  validation: {
    create: validateDefinition,
    update: validateDefinitionUpdate,
    subresources: { status: validateDefinitionStatusUpdate },
  },
};

export const apiextensionsKinds: readonly KindDescription[] = [customResourceDefinitions];
