import { runApp } from '#libs/app-shell';
import { SchedulerModule } from './scheduler.module';

void runApp('scheduler', SchedulerModule);
