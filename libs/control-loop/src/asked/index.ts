/** How a controller is asked: the same for one that lives and for one that is replayed from the log. Pure. */
export * from './asked-controller';
export * from './outcomes';
