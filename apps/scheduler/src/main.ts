import { runApp } from '#libs/app-shell';
import { schedulerLeavesOut } from './leaves-out';
import { schedulerControllers } from './scheduler-controllers';
import { SchedulerModule } from './scheduler.module';

void runApp('scheduler', SchedulerModule, { leavesOut: schedulerLeavesOut, check: schedulerControllers });
