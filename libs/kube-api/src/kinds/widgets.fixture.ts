import { age, nameOf, rowOf } from '../printing/cell';
import { Definitions, releaseDefinitions, type GroupVersionKind } from '../schema';
import { fieldsOf, nameField, namespaceField, simpleField } from '../selectors/kind-fields';
import { invalidValue } from '../status/field-error';
import { validateMetadataUpdate, validateNamed } from '../validation/metadata';
import { defineKind } from './define-kind';
import type { ResourceKind } from './resource-kind';

/** A kind that no release has, as a custom resource would bring it: its definitions stand on those of the release. */
const definitions = new Definitions(
  {
    definitions: {
      'example.v1.Widget': [
        'kind string',
        'apiVersion string',
        'metadata meta.v1.ObjectMeta always',
        'spec example.v1.WidgetSpec always',
        'status example.v1.WidgetStatus always',
      ],
      'example.v1.WidgetSpec': ['size int32 pointer default=3', 'parts []example.v1.Part list=map:name patch=merge key=name'],
      'example.v1.Part': ['name string required', 'colour string default="red"'],
      'example.v1.WidgetStatus': ['ready bool'],
      'example.v1.WidgetList': ['kind string', 'apiVersion string', 'metadata meta.v1.ListMeta always', 'items []example.v1.Widget always'],
    },
    openApiNames: { 'example.v1.Widget': 'com.example.v1.Widget', 'example.v1.WidgetList': 'com.example.v1.WidgetList' },
  },
  releaseDefinitions,
);

const validateName = validateNamed(true);

export function widgetKind(): ResourceKind {
  const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
  return defineKind(
    {
      group: 'example.com',
      version: 'v1',
      resource: 'widgets',
      singular: 'widget',
      kind: 'Widget',
      namespaced: true,
      verbs,
      shortNames: ['wd'],
      subresources: [{ name: 'status', kind: 'Widget', verbs: ['get', 'patch', 'update'] }],
    },
    {
      name: 'widgets.example.com',
      served: true,
      generation: 'managed',
      conditionalUpdateOnly: true,
      fields: fieldsOf(nameField, namespaceField, simpleField('spec.size')),
      validation: {
        create: (widget, errors) => {
          validateName(widget, errors);
          if (widget.spec?.size > 10) errors.push(invalidValue('spec.size', widget.spec.size, 'should be less than or equal to 10'));
        },
        update: (updated, old, errors) => validateMetadataUpdate(updated.metadata, old.metadata, errors),
      },
      warn: (widget, _old, warnings) => {
        if (widget.spec?.size === 0) warnings.push('spec.size: a widget of no size');
      },
      columns: [
        { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
        { name: 'Size', type: 'integer', format: '', description: '', priority: 0 },
        { name: 'Age', type: 'date', format: '', description: '', priority: 0 },
      ],
      row: rowOf((widget, now) => [nameOf(widget), widget.spec?.size ?? 0, age(widget, now)]),
    },
    ({ kind }: GroupVersionKind) => definitions.find(`example.v1.${kind}`),
  );
}
