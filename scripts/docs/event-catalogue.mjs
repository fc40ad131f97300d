// docs/events.md as a text, from the event classes.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventClassesOf } from './event-classes.mjs';
import { streamOfEvent } from './event-streams.mjs';
import { table } from './generated-page.mjs';

const types = join(dirname(fileURLToPath(import.meta.url)), '../../libs/events/src/types');

const chapters = [
  [
    'object-events.ts',
    'Any object',
    'These can describe any change of any object. All other events are named for what happened; where such an event does not say all of a change, one of these stands beside it in the same append and says the rest.',
  ],
  ['pod-events.ts', 'Pods', 'Facts of one pod, on its own stream.'],
  ['decision-events.ts', 'Decisions, reviews, the cluster', 'What no object shows, on the streams of the apps that decide.'],
  ['pressure-events.ts', 'Nodes that are short of something', 'What eviction managers find, and whom they evict.'],
  ['lifecycle-events.ts', 'Processes', 'Who wrote to the log, from when to when.'],
];

const preface = `# Event catalogue

Made from the classes in \`libs/events/src/types\` by \`npm run update:events\`; do not edit.

Every event that may be in the log. Each is a class with class-validator decorators; it is checked before it is appended, and unknown fields are
refused. A stored event is never rewritten: one of an older version is upcast when it is read (\`libs/events/src/catalogue.ts\`).

Streams are named \`<cluster>.<resource>[.<group>]-<namespace>/<name>\` for objects (\`local.pods-default/web-0\`) and \`<cluster>.<stream>\` for
decisions (\`local.scheduler-decisions\`). The cluster of \`kubereel up\` is called \`local\`. See an event as it is stored with
\`kubereel log --type NAME -o json\`.
`;

const typesText = `## Types
- \`KubeObject\`: an object as the API shows it, without its resourceVersion.
- \`JsonPatch\`: operations \`add\`, \`replace\` and \`remove\` of RFC 6902, on the object as the API shows it.
- \`DeltaStep\`: one step of a change as version 0.1.0 wrote it, \`{p, v}\`: the value \`v\` at the path \`p\`; without \`v\` what is there goes. A path may point into a list.
- \`VictimReference\`: \`namespace\`, \`name\`, \`uid\` and \`priority\` of a pod.
- \`JsonObject\`: any JSON object.
`;

const metadata = `## Metadata
What readers of the log get with every event (\`libs/events/src/metadata.ts\`; \`kubereel log -o json\` prints it so):

${table(
  ['Field', 'Says'],
  [
    ['`$correlationId`, `$causationId`', 'the story it belongs to, and the event that led to it; EventStoreDB’s own names'],
    ['`actor`', '`user:NAME`, or the controller that wrote it'],
    ['`time`', 'cluster time, milliseconds since the epoch'],
    ['`v`', 'version of the payload'],
    ['`i`, `n`', 'place in its append, from 1, and the length of the append'],
    ['`writer`', 'the process that wrote it'],
    ['`digest`', 'of what it says and of the digest before it: in the stream for objects, of the same writer in a decision stream'],
    ['`step`', 'which step of its decision it is'],
    ['`at`', 'on the first event of an append: the last position that its writer had folded when it was prepared'],
    [
      '`w`, `open`, `lost`',
      'on the first event: the number of the append among its writer’s, dense from 1; how many numbers back the oldest unanswered one lies; numbers of which nobody knows whether they were written',
    ],
    [
      '`op`, `verb`, `sub`, `body`, `agent`, `impersonator`, `groups`',
      'on the first event of what no decision wrote: the operation, what was asked for, the digest of the decoded body, the client, who acts for the user, and those of the user’s groups that do not follow from his name',
    ],
    [
      '`basis`',
      'of a decision, on the first event of its append: the position folded, the time, the configuration and whatever else it rests on; absent on what clients write',
    ],
    ['`tape`', 'on the first event of some appends: the rounds of its writer’s controllers since the one before'],
  ],
)}

In the log (\`libs/events/src/stored-metadata.ts\`) what all events of an append share is stored once, on its first event. A later one carries \`i\`, \`digest\` and, where they
are needed, \`frame\` and \`v\`. On the first, \`i\`, and \`n\` and \`v\` where they are 1, are left out; so is a controller’s \`actor\`, which its basis names; so is of the basis what is said
elsewhere: a position that is \`at\`, a time that is \`time\`, a subject that is the stream’s object. A basis with nothing else to say is the decision alone.
`;

function fieldRow({ name, type, optional, comment }) {
  return [`\`${name}\`${optional ? ' (optional)' : ''}`, type, comment];
}

function section({ name, version, comment, fields }) {
  const [stream, writer] = streamOfEvent[name];
  const lines = [`### ${name}`, ''];
  if (comment) lines.push(comment, '');
  lines.push(`Version ${version}. Stream: ${stream.includes(' ') ? stream : `\`${stream}\``}. Written by: ${writer}.`, '');
  lines.push(fields.length === 0 ? 'No fields.' : table(['Field', 'Type', ''], fields.map(fieldRow)), '');
  return lines.join('\n');
}

/** @throws Error naming a class without a stream in event-streams.mjs, or an entry there without a class. */
export function eventCatalogue() {
  const classes = chapters.map(([file]) => eventClassesOf(join(types, file)));
  const names = classes.flat().map(({ name }) => name);
  for (const name of names)
    if (!streamOfEvent[name]) throw new Error(`${name}: say in scripts/docs/event-streams.mjs on which stream it is`);
  for (const name of Object.keys(streamOfEvent))
    if (!names.includes(name)) throw new Error(`${name} is in scripts/docs/event-streams.mjs and no class`);
  const text = [preface];
  for (const [index, [, title, tells]] of chapters.entries()) {
    text.push(`## ${title}\n${tells}\n`, ...classes[index].map(section));
  }
  text.push(typesText, metadata);
  return { text: text.join('\n'), names };
}
