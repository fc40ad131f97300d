import { runApp } from '#libs/app-shell';
import { SchedulerModule } from './scheduler.module';
import { schedulerLeavesOut } from './leaves-out';

void runApp('scheduler', SchedulerModule, schedulerLeavesOut);
