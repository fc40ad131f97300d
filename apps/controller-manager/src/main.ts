import { runApp } from '#libs/app-shell';
import { ControllerManagerModule } from './controller-manager.module';

void runApp('controller-manager', ControllerManagerModule);
