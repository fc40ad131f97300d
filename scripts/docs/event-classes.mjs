// Reads the event classes as TypeScript's own parser sees them: what a reader of the source sees, comments included.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import ts from 'typescript';

/** The comment in front of a node, on one line; empty where there is none. */
function commentOf(node) {
  const comment = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc);
  return comment ? (ts.getTextOfJSDocComment(comment.comment)?.replace(/\s+/g, ' ') ?? '') : '';
}

function decoratorsOf(node) {
  return (ts.getDecorators(node) ?? []).map(({ expression }) => ({
    name: expression.expression.getText(),
    args: expression.arguments.map((argument) => argument.getText()),
  }));
}

/** The type as written, narrowed by what its decorators check: `one of …`, whole numbers, times. */
function typeOf(property, decorators) {
  const has = (name) => decorators.find((decorator) => decorator.name === name);
  const choice = has('IsIn');
  if (choice)
    return choice.args[0]
      .replace(/^\[|\]$/g, '')
      .replaceAll("'", '')
      .replaceAll(', ', ' \\| ');
  if (has('IsISO8601')) return 'string (RFC 3339)';
  if (has('IsInt')) return has('Min') ? `integer ≥ ${has('Min').args[0]}` : 'integer';
  return (property.type?.getText() ?? 'unknown').replaceAll('|', '\\|');
}

function fieldOf(property) {
  const decorators = decoratorsOf(property);
  if (decorators.length === 0)
    throw new Error(`${property.parent.name.text}.${property.name.getText()} has no decorator, so nothing checks it`);
  return {
    name: property.name.getText(),
    type: typeOf(property, decorators),
    optional: decorators.some(({ name }) => name === 'IsOptional'),
    comment: commentOf(property),
  };
}

function isStatic(member) {
  return member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) ?? false;
}

/** Every exported class of a file: `{ name, file, version, comment, fields }`. */
export function eventClassesOf(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true);
  return source.statements.filter(ts.isClassDeclaration).map((declaration) => {
    const properties = declaration.members.filter(ts.isPropertyDeclaration);
    const version = properties.find((member) => isStatic(member) && member.name.getText() === 'version');
    if (!version?.initializer) throw new Error(`${declaration.name?.text} in ${basename(path)} has no version`);
    return {
      name: declaration.name.text,
      file: basename(path),
      version: Number(version.initializer.getText()),
      comment: commentOf(declaration),
      fields: properties.filter((member) => !isStatic(member)).map(fieldOf),
    };
  });
}
