import { expect, it } from 'vitest';
import { render } from './render';
import { TemplateError } from './tokens';

const data = {
  metadata: { name: 'web', labels: { 'a.b/c': 'x' } },
  spec: { containers: [{ name: 'a', image: 'a:1' }, { name: 'b' }], none: [], count: 3 },
};

it.each<[template: string, text: string]>([
  ['{{ .metadata.name }}', 'web'],
  ['a {{- " b " -}} c', 'a b c'],
  ['{{/* nothing */}}x', 'x'],
  ['{{ .metadata.absent }}', '<no value>'],
  ['{{ index .metadata.labels "a.b/c" }}', 'x'],
  ['{{ (index .spec.containers 1).name }}', 'b'],
  ['{{ range .spec.containers }}[{{ .name }}]{{ end }}', '[a][b]'],
  ['{{ range $i, $c := .spec.containers }}{{ $i }}{{ $c.name }}{{ $.metadata.name }} {{ end }}', '0aweb 1bweb '],
  ['{{ range .spec.none }}x{{ else }}none{{ end }}', 'none'],
  ['{{ range $key, $value := .metadata.labels }}{{ $key }}={{ $value }}{{ end }}', 'a.b/c=x'],
  ['{{ if eq .metadata.name "db" }}1{{ else if not .spec.none }}2{{ else }}3{{ end }}', '2'],
  ['{{ with .spec.count }}{{ . }}{{ end }}{{ with .spec.absent }}x{{ else }}-{{ end }}', '3-'],
  ['{{ $a := 1 }}{{ if true }}{{ $a = 2 }}{{ $b := 3 }}{{ end }}{{ $a }}', '2'],
  ['{{ or .spec.absent "fallback" }} {{ and .spec.count "last" }}', 'fallback last'],
  ['{{ printf "%s-%d %q" .metadata.name 2 "q" }}', 'web-2 "q"'],
  ['{{ .metadata.name | upper | quote }}', '"WEB"'],
  ['{{ .spec.absent | default "d" }} {{ len .spec.containers }} {{ add 1 2 }}', 'd 2 3'],
  ['{{ get (dict "k" "v") "k" }}{{ `raw "text"` }}', 'vraw "text"'],
  ['{{ lt 1 2 }} {{ ge "a" "b" }} {{ ne .spec.count 3 }}', 'true false false'],
  ['{{ "}}" }}', '}}'],
])('%s', (template, text) => {
  expect(render(template, data, {})).toBe(text);
});

it.each([
  '{{ if true }}',
  '{{ end }}',
  '{{ nosuch 1 }}',
  '{{ $x }}',
  '{{ .a',
  '{{ "open }}',
  '{{ 1 | 2 }}',
  '{{ lt 1 "a" }}',
  '{{ range 100000 }}{{ range 100 }}x{{ end }}{{ end }}',
])('is refused: %s', (template) => {
  expect(() => render(template, data, {})).toThrow(TemplateError);
});

it('calls the functions that it is given', () => {
  expect(render('{{ Now }} {{ Quote .metadata.name }}', data, { Now: () => 'then', Quote: (value) => JSON.stringify(value) })).toBe(
    'then "web"',
  );
});
