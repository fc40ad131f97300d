import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const shapesOf = async (modules: string, types: string[]) =>
  (await import('../../scripts/shapes/internal-shapes.mjs')).internalShapes(modules, '1.2.3', { 'core/v1': types });

describe('what update-shapes reads in the declarations of types in Go', () => {
  let modules: string;
  beforeEach(() => (modules = mkdtempSync(join(tmpdir(), 'kubereel-shapes-'))));
  afterEach(() => rmSync(modules, { recursive: true }));

  function declare(internal: string, published: string): void {
    for (const [path, text] of [
      ['kubernetes@v1.2.3/pkg/apis/core/types.go', internal],
      ['api@v0.2.3/core/v1/types.go', published],
    ] as const) {
      const file = join(modules, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `package core\n\n${text}`);
    }
  }

  it('is each field in order, its name on the wire, and what it is when it is absent', async () => {
    declare(
      `type Phase string
type Amounts map[ResourceName]resource.Quantity
type Name string
type ResourceName string
// A ship.
type Ship struct {
	// Its name.
	// +optional
	Name string
	Phase Phase // where it is
	/*
		What it carries.
	*/
	Cargo Amounts
	Depth *int32

	Crew []Name
	Sails []Sail
	Sheet intstr.IntOrString
}
type Sail struct {
	Up bool
}
`,
      `type Ship struct {
	Name string \`json:"name,omitempty"\`
	Phase Phase \`json:"phase,omitempty"\`
	Cargo Amounts \`json:"load,omitempty"\`
	Sails []Sail \`json:"sails"\`
}
`,
    );
    expect(await shapesOf(modules, ['Ship'])).toEqual({
      Ship: 'Name=name:s Phase=phase:s Cargo=load:r Depth=depth:p Crew=crew:l Sails=sails:L/Sail Sheet=sheet:j',
      Sail: 'Up=up:b',
    });
  });

  it('is the fields of an embedded struct where that stands, and of metadata what is present', async () => {
    declare(
      `type Ship struct {
	Hull
	Name string
	metav1.ObjectMeta
}
type Hull struct {
	HTTPPort *Port
}
type Port struct {
	Open bool
}
`,
      `type Ship struct {
	Hull \`json:",inline"\`
	Name string \`json:"name"\`
	metav1.ObjectMeta \`json:"metadata,omitempty"\`
}
type Hull struct {
	HTTPPort *Port \`json:"port,omitempty"\`
}
`,
    );
    expect(await shapesOf(modules, ['Ship'])).toEqual({ Ship: 'HTTPPort=port:P/Port Name=name:s =metadata:w', Port: 'Open=open:b' });
  });

  it.each([
    ['a line that it cannot read', 'Sail chan Wind', 'Ship: no field is read from "Sail chan Wind"'],
    ['a field of a type of another package', 'Sail other.Sail', 'Ship.Sail: nothing is known of other.Sail'],
    ['an embedded struct of another package', 'other.Sail', 'Ship: nothing is known of other.Sail'],
  ])('is refused with %s', async (_, field, refusal) => {
    declare(`type Ship struct {\n\t${field}\n}\n`, '');
    await expect(shapesOf(modules, ['Ship'])).rejects.toThrow(refusal);
  });
});
