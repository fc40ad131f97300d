/** What images run that are given no command, where it is a program that is simulated: the shell, which ends where nobody types to it. */
const byRepository: Readonly<Record<string, readonly string[]>> = {
  alpine: ['/bin/sh'],
  busybox: ['sh'],
  debian: ['bash'],
  'hello-world': ['echo', '\nHello from Docker!\nThis message shows that your installation appears to be working correctly.\n'],
  ubuntu: ['/bin/bash'],
};

export const imagesKnown: readonly string[] = Object.keys(byRepository);

interface Container {
  image?: string;
  command?: readonly string[];
  args?: readonly string[];
}

/** What a container runs as far as its pod tells: its command with its arguments, or its image's where that is known. */
export function commandOf({ image, command, args }: Container): readonly string[] | undefined {
  if (command && command.length > 0) return args ? [...command, ...args] : command;
  if (args && args.length > 0) return args;
  return byRepository[repositoryOf(image ?? '')];
}

/** Of images of Docker Hub's library, without the tag; '' of any other. */
function repositoryOf(image: string): string {
  return /^(?:docker\.io\/)?(?:library\/)?([a-z0-9-]+)(?:[:@].*)?$/.exec(image)?.[1] ?? '';
}
