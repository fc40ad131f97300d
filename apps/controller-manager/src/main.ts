import { runApp } from '#libs/app-shell';
import { controllerManagerLeavesOut } from './leaves-out';
import { ControllerManagerModule } from './controller-manager.module';

void runApp('controller-manager', ControllerManagerModule, { leavesOut: controllerManagerLeavesOut });
