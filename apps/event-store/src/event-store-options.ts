import { IsBoolean, IsIn, IsOptional, IsString, IsThat } from '#libs/validation';

const isPort = (value: unknown): boolean => typeof value === 'string' && /^\d+$/.test(value) && Number(value) <= 65_535;
const file = { message: 'the name of a file' };

/** The command line of the event store, as written. */
export class EventStoreOptions {
  @IsOptional() @IsThat('a number from 0 to 65535', isPort) port?: string;
  @IsOptional() @IsString({ message: 'an address to listen at' }) host?: string;
  @IsOptional() @IsString({ message: 'the name of a folder' }) data?: string;
  @IsOptional() @IsBoolean({ message: 'nothing behind it' }) ephemeral?: boolean;
  @IsOptional() @IsIn(['default', 'full'], { message: 'default or full' }) durability?: 'default' | 'full';
  @IsOptional() @IsString(file) 'tls-certificate'?: string;
  @IsOptional() @IsString(file) 'tls-key'?: string;
  @IsOptional() @IsString({ message: 'the name of a user' }) user?: string;
  @IsOptional() @IsString(file) 'password-file'?: string;
  @IsOptional() @IsBoolean({ message: 'nothing behind it' }) help?: boolean;
}
