/** What is done with the files of stores, whether or not anybody can open them. */
export { checkStoreFile, listBackups, type BackupFile } from '../store/index.ts';
