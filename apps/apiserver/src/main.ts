import 'reflect-metadata';
import { runApp } from '#libs/app-shell';
import { ApiserverModule } from './apiserver.module';

void runApp('apiserver', ApiserverModule);
